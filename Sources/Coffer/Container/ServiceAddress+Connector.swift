extension ServiceAddress {
    /// What opens channels over this bus.
    package var connector: any ChannelConnector { BusConnector(address: self) }
}
