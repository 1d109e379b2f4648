import { type Endpoint, type Gateway, withCors, withEndpoints } from '@sluice/core'
import type { TypedConfig } from '../config/config.ts'

/** A gateway with what answers beside it. Pages of other origins may call the protocol, and nothing else. */
export function frontOf(gateway: Gateway, { server }: TypedConfig, endpoints: readonly Endpoint[]): Gateway {
  const open = server?.cors === undefined ? gateway : withCors(gateway, { origins: server.cors })
  return withEndpoints(open, endpoints)
}
