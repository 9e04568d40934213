"""The generated messages are those of the `.proto` files, and those of other people's clients."""

from pathlib import Path

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from serving.protocol.proto import generate
from serving.protocol.proto.generated import open_inference_pb2

GENERATED = Path(generate.__file__).parent / "generated"


def test_generated_code_is_current(tmp_path: Path) -> None:
    generate.generate(tmp_path)
    written = {path.name: path.read_text() for path in tmp_path.iterdir()}
    committed = {
        path.name: path.read_text() for path in GENERATED.glob("*_pb2.py*") if path.is_file()
    }
    assert committed == written


def _kind(field: FieldDescriptor) -> tuple[object, ...]:
    return (field.number, field.type, field.is_repeated)


def _check_is_part_of(ours: Descriptor, theirs: Descriptor) -> None:
    for name, field in ours.fields_by_name.items():
        other = theirs.fields_by_name[name]
        assert _kind(field) == _kind(other), f"{ours.full_name}.{name}"
        if field.message_type is not None and other.message_type is not None:
            _check_is_part_of(field.message_type, other.message_type)
        if field.enum_type is not None and other.enum_type is not None:
            numbers = {value.name: value.number for value in field.enum_type.values}
            others = {value.name: value.number for value in other.enum_type.values}
            assert numbers.items() <= others.items()


def test_messages_have_the_names_and_numbers_of_tritons_client() -> None:
    peer = pytest.importorskip("tritonclient.grpc.service_pb2").DESCRIPTOR.message_types_by_name
    ours = open_inference_pb2.DESCRIPTOR.message_types_by_name
    requests = [name for name in ours if name.endswith(("Request", "Response"))]
    assert len(requests) == 19 + 20  # both ways of inferring have one request
    for name in requests:
        _check_is_part_of(ours[name], peer[name])


def test_service_has_the_methods_that_tritons_client_calls() -> None:
    peer = pytest.importorskip("tritonclient.grpc.service_pb2").DESCRIPTOR
    theirs = peer.services_by_name["GRPCInferenceService"].methods_by_name
    ours = open_inference_pb2.DESCRIPTOR.services_by_name["GRPCInferenceService"].methods_by_name
    assert set(ours) == set(theirs)
    for name, method in ours.items():
        other = theirs[name]
        assert method.input_type.name == other.input_type.name
        assert (method.client_streaming, method.server_streaming) == (
            other.client_streaming,
            other.server_streaming,
        )
