"""POOL: where the messages' descriptors live, apart from those of other packages."""

from google.protobuf.descriptor_pool import DescriptorPool

__all__ = ("POOL",)

POOL = DescriptorPool()
"""A pool of our own: protobuf's default one takes each message name once in a process, and the
clients of other servers (tritonclient, kserve) bring messages of the same names."""
