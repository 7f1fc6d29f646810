"""Words and sentences: cut, stemmed, weighed, in eight languages. Sealed: the grounding check is made of them."""
