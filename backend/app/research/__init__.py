"""The frozen pipeline: policy, adapter, screen, validator, resolver, bundle, router."""
