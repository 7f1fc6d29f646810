"""Prompts of user interfaces are told from questions, however they are worded."""

from __future__ import annotations

import pytest

from app.chat.auxiliary_prompts import is_auxiliary

# How the templates of Open WebUI 0.10 begin (its `config.py`), and the title prompts of LibreChat.
TEMPLATES = (
    "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n### Guidelines:",
    "### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history",
    "### Task:\nSuggest 3-5 relevant follow-up questions or prompts that the user might naturally ask next",
    "### Task:\nAnalyze the chat history to determine the necessity of generating search queries",
    "### Task:\nYou are an autocompletion system. Continue the text in `<text>` based on the completion type",
    "### Task:\nGenerate a detailed prompt for an image generation task based on the given language",
    "### Task:\nRespond to the user query using the provided context, incorporating inline citations",
    "Your task is to reflect the speaker's likely facial expression through a fitting emoji.",
    "You have been provided with a set of responses from various models to the latest user query",
    "Provide a concise, 5-word-or-less title for the conversation, using title case conventions.",
    "Please generate a concise, 5-word-or-less title for the conversation, using its same language",
    "Analyze this conversation and provide:\n1. The detected language of the conversation",
)
TOOL_CHOICE = "Available Tools: []\n\nYour task is to choose and return the correct tool(s) from the list"
ORDINARY = (
    "Find the exchange rate of the euro on 2 January 2002",
    "Find the name of the stock exchange in Tokyo",
    "Name the message broker that LinkedIn wrote",
    "Find the subject of the first message that was sent by telegraph",
    "Give the title of the dialogue in which Plato describes Atlantis",
    "Name the dialogue in which Socrates drinks the hemlock",
    "Summarize the exchange of letters between Freud and Einstein",
    "Summarise the messages that Zimmermann sent to Mexico",
    "Find the names of the first messages in the SMTP protocol",
    "Write down the title of the exchange programme for students in Europe",
    "Provide the name of the largest stock exchange in Africa",
    "Give the names of the chat protocols that IRC replaced",
    "Name the chat application that WhatsApp was compared with",
    "Find the name of the chat server that Erlang was used for",
    "Name this chat protocol: XMPP or IRC?",
    "Find the name of the director of The Conversation",
    "Give me the title of the chat show that Parkinson hosted",
    "Find the heading of the chapter on the conversation between Krishna and Arjuna",
    "Summarize the conversation between Nixon and Kissinger about Chile",
    "Propose a name for the exchange between two router ports",
    "Create a summary of the dialogue between the union and the port of Felixstowe",
    "Suggest questions about the message of Darwin's book",
    "What was the subject of this exchange of notes in 1905?",
    "Return the names of the message queues that AMQP defines",
    "Give the subject of the messages of the Arecibo telescope",
    "Query: what is the tallest tower in Malaysia?",
    "History: when did the Hanseatic League end?",
)


@pytest.mark.parametrize(
    "prompt",
    [
        *TEMPLATES,
        "### Task:\nName this chat.",
        "\n  ### Task: name this chat",
        "Your task is to show the mood of the writer with one emoji.\n\nMessage: ```The ferry is late!```",
        "Write a title of at most five words for the conversation below.\n\nUSER: When does the ferry leave?",
        "Please generate a short title\nfor this chat: When does the ferry leave?",
        "Summarize the conversation so far in one line.",
        "Suggest three follow-up questions for this chat.",
        "Give tags for the following conversation: ferry, timetable",
        "Sum up this conversation as a short title.",
        "Summarize the above chat",
    ],
)
def test_a_prompt_of_a_user_interface(prompt):
    assert is_auxiliary(prompt)


@pytest.mark.parametrize(
    "message",
    [
        'History:\nUSER: """When does the ferry leave?"""\nQuery: When does the ferry leave?',
        'Query: History:\nUSER: """When does the ferry leave?"""\nQuery: When does the ferry leave?',
        "Query: When does the ferry leave?",
    ],
)
def test_the_choice_of_a_tool_is_known_by_its_system_prompt(message):
    assert is_auxiliary(message, TOOL_CHOICE)
    assert not is_auxiliary(message)
    assert not is_auxiliary("When does the ferry leave?", TOOL_CHOICE)


@pytest.mark.parametrize(
    "question",
    [
        *ORDINARY,
        "How long should sourdough proof in the fridge?",
        "What title did the museum give the exhibition?",
        "Which task is the baker given first?",
        "Give me the names of the ferries.",
        "Summarize the report on the harbour.",
        "Who took part in the conversation between the mayor and the union?",
        "Write down the title of the deed. Was it read before this conversation?",
        "",
    ],
)
def test_a_question_of_a_person(question):
    assert not is_auxiliary(question)
