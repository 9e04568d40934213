"""The models: one folder each, with network, handler, manifest, weights and card."""

import os

# ONNX Runtime's builds for Linux (1.29 and later) tell Microsoft which models are loaded, unless
# this is set before the library is. Nothing here is told to anybody.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
