"""Finding injected instructions: carriers, fold, disguises, rules as data, scorer, use and mention; pure."""
