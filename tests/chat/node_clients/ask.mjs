// Asks a server through the AI SDK's providers, plain and streamed, and prints what each shows of the sources.
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createPerplexity } from "@ai-sdk/perplexity";
import { generateText, streamText } from "ai";

const [, , base, key, question] = process.argv;
const model = "portcullis-research";
const settings = { baseURL: `${base}/v1`, apiKey: key };
const openai = createOpenAI(settings);
const models = {
  chat: openai.chat(model),
  default: openai(model),
  perplexity: createPerplexity(settings)(model),
  compatible: createOpenAICompatible({ ...settings, name: "portcullis" })(model),
};

const shown = (sources) => sources.map(({ url, title }) => ({ url, title: title ?? null }));
const found = {};
for (const [name, chosen] of Object.entries(models)) {
  const plain = await generateText({ model: chosen, prompt: question, maxRetries: 0 });
  const stream = streamText({ model: chosen, prompt: question, maxRetries: 0 });
  let text = "";
  for await (const piece of stream.textStream) text += piece;
  found[name] = {
    plain: { text: plain.text, sources: shown(plain.sources), finish: plain.finishReason },
    streamed: { text, sources: shown(await stream.sources), finish: await stream.finishReason },
  };
}
console.log(JSON.stringify(found));
