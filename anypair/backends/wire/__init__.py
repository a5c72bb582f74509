"""What ranks send: messages, the bytes of their wire format, on arrays of the host or of a device.

`array_layer` is what products on a grid are written on. A local backend whose arrays are on a device has
one of its own (`Backend.device_arrays`); `group` is who sends, whatever carries it.
"""
