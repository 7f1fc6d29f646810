"""Prompts of user interfaces are told from questions, however they are worded."""

from __future__ import annotations

import pytest

from app.chat.auxiliary_prompts import is_auxiliary


@pytest.mark.parametrize(
    "prompt",
    [
        "### Task:\nName this chat.",
        "\n  ### Task: name this chat",
        "Your task is to show the mood of the writer with one emoji.\n\nMessage: ```The ferry is late!```",
        "Write a title of at most five words for the conversation below.\n\nUSER: When does the ferry leave?",
        "Please generate a short title\nfor this chat: When does the ferry leave?",
        "Summarize the conversation so far in one line.",
        "Suggest three follow-up questions for this chat.",
        "Give tags for the following messages: ferry, timetable",
    ],
)
def test_a_prompt_of_a_user_interface(prompt):
    assert is_auxiliary(prompt)


@pytest.mark.parametrize(
    "question",
    [
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
