"""Calls over gRPC by the names of service and method."""

from typing import Any

import grpc
import numpy as np
import pytest

from serving.protocol.proto.generated import open_inference_pb2 as oip


class Stub:
    """Calls the methods of one service by their names."""

    def __init__(self, channel: Any, service: str) -> None:
        self._channel, self._service = channel, service

    def call(self, method: str, request: Any, answer: Any, **options: Any) -> Any:
        return self.method("unary_unary", method, answer)(request, timeout=20, **options)

    def method(self, kind: str, method: str, answer: Any) -> Any:
        return getattr(self._channel, kind)(
            f"/{self._service}/{method}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=answer.FromString,
        )


def code_of(failure: pytest.ExceptionInfo[grpc.RpcError]) -> grpc.StatusCode:
    code: grpc.StatusCode = failure.value.code()
    return code


def nap_request(seconds: float) -> oip.ModelInferRequest:
    """Ask the model `nap` to sleep."""
    tensor = oip.ModelInferRequest.InferInputTensor(name="seconds", datatype="FP32", shape=[1])
    data = np.array([seconds], np.float32).tobytes()
    return oip.ModelInferRequest(model_name="nap", inputs=[tensor], raw_input_contents=[data])
