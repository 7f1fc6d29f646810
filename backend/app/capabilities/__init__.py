"""What a caller can ask for: input model, plan, typed result; pure."""
