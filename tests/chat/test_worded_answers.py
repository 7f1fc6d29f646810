"""A model behind the chat server: what holds reaches the user with our markers, and nothing else of it does."""

from __future__ import annotations

from tests.chat.serving import events_of, served
from tests.fixtures.scripted_model import model_in_a_thread

ASKED = "How long should sourdough proof in the fridge?"
GOOD = "e1 | In the fridge, sourdough should proof for about 8 to 16 hours.\n"
WORDED = "In the fridge, sourdough should proof for about 8 to 16 hours. [1]"
BAD = "e1 | Canary bakers proof it for 97 hours.\ne9 | See https://canary.example/proof.\nReferences: [1] Canary 2019\n"


def test_plain_and_streamed_replies_are_worded_and_forgeries_stay_behind(tmp_path):
    with model_in_a_thread([GOOD, GOOD + "e1 | Canary bakers proof it for 97 hours.\n", BAD]) as model:
        settings = {"PORTCULLIS_MODEL_URL": model.url, "PORTCULLIS_MODEL_NAME": "tiny-1"}
        with served(tmp_path, **settings) as server:
            client = server.client()
            plain = client.post("/v1/chat", json={"message": ASKED}).json()
            assert (plain["action"], plain["text"]) == ("GROUNDED", WORDED)
            assert plain["sources"][0]["number"] == 1

            asked = {"model": "portcullis-research", "stream": True, "messages": [{"role": "user", "content": ASKED}]}
            chunks = [
                data for _, data in events_of(client.post("/v1/chat/completions", json=asked).text) if data != "[DONE]"
            ]
            said = "".join(
                choice["delta"].get("content", "") for chunk in chunks for choice in chunk.get("choices", ())
            )
            assert said.startswith(WORDED)
            assert "Canary" not in said

            forged = client.post("/v1/chat", json={"message": ASKED})
            assert "anary" not in forged.text
            assert "8 to 16 hours at 4" in forged.json()["text"]

            baseline = client.post("/v1/chat", json={"message": ASKED, "mode": "baseline"})
            assert baseline.json()["action"] == "BASELINE"
        assert len(model.asked) == 3
