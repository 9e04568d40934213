"""The Open Inference Protocol's verbs over the engine, for REST and gRPC alike."""
