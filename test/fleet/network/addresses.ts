/** The hosts of the fleet, each a network namespace. */
export const hostNames = [
  'nginx',
  'gateway-1',
  'gateway-2',
  'gateway-3',
  'gateway-4',
  'redis-1',
  'redis-2',
  'pgbouncer',
  'postgres-1',
  'postgres-2',
  'upstream-1',
  'upstream-2',
  'upstream-3',
] as const

export type HostName = (typeof hostNames)[number]
/** A port of the switch. `client` is the host of the test itself. */
export type PortName = HostName | 'client'

export const gateways = ['gateway-1', 'gateway-2', 'gateway-3', 'gateway-4'] as const
export type GatewayName = (typeof gateways)[number]
export const upstreams = ['upstream-1', 'upstream-2', 'upstream-3'] as const

export const addresses: Readonly<Record<PortName, string>> = {
  client: '10.77.0.1',
  nginx: '10.77.0.2',
  'gateway-1': '10.77.0.11',
  'gateway-2': '10.77.0.12',
  'gateway-3': '10.77.0.13',
  'gateway-4': '10.77.0.14',
  'redis-1': '10.77.0.21',
  'redis-2': '10.77.0.22',
  pgbouncer: '10.77.0.30',
  'postgres-1': '10.77.0.31',
  'postgres-2': '10.77.0.32',
  'upstream-1': '10.77.0.41',
  'upstream-2': '10.77.0.42',
  'upstream-3': '10.77.0.43',
}

/** The name that the gateways know Redis by. It becomes that of the replica when that is promoted. */
export const redisName = 'redis.fleet.test'

export const ports = {
  nginx: 80,
  gateway: 8787,
  redis: 6379,
  postgres: 5432,
  pgbouncer: 6432,
  upstream: 9000,
} as const
