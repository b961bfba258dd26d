// Decides which addresses a project's calls can reach. In: an address. Out: yes or no. Every address that is not
// plainly on the public internet is refused, also in mapped and translated forms: the networks around a cell belong to
// its operator, not to its projects.
import { BlockList, isIP } from "node:net";
import type { Networks } from "@plinth/service";

/** IANA's registries of special-purpose addresses, RFC 6890 and later. */
const refused4: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/**
 * Public addresses that lead to the host's own services in some clouds: Azure's WireServer
 * (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16) and IBM Cloud's service networks
 * (https://cloud.ibm.com/docs/vpc?topic=vpc-service-endpoints-for-vpc).
 */
const hostServices4: readonly (readonly [network: string, prefix: number])[] = [
  ["161.26.0.0", 16],
  ["166.8.0.0", 14],
  ["168.63.129.16", 32],
];

/** Within the only public block, 2000::/3. */
const refused6: readonly (readonly [network: string, prefix: number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
];

const refused = new BlockList();
for (const [network, prefix] of [...refused4, ...hostServices4]) refused.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of refused6) refused.addSubnet(network, prefix, "ipv6");
const global6 = new BlockList();
global6.addSubnet("2000::", 3, "ipv6");

export type AddressGuard = (address: string) => boolean;

/** @param allowed Networks that the operator lets projects reach anyway. */
export function createAddressGuard(allowed: Networks = () => false): AddressGuard {
  return (address) => {
    // A zone names a network of this machine.
    if (address.includes("%")) return false;
    switch (isIP(address)) {
      case 4:
        return allowed(address) || !refused.check(address, "ipv4");
      case 6:
        // Every form of an IPv4 address in an IPv6 address is outside of 2000::/3.
        return allowed(address) || (global6.check(address, "ipv6") && !refused.check(address, "ipv6"));
      default:
        return false;
    }
  };
}
