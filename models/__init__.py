"""The models: one folder each, with network, handler, manifest, weights and card."""
