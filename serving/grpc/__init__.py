"""The gRPC services: TorchServe's and the Open Inference Protocol's, translated to the engine."""
