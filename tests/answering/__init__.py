"""Answers in the words of a model: nothing leaves that the evidence does not hold."""
