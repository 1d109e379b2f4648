import type { IncomingMessage } from 'node:http'
import { createGateway, type Gateway } from '@sluice/core'
import { serve } from '@sluice/node'
import { CommandFault, type World } from '../command.ts'
import { checkMade } from '../config/check-config.ts'
import { compileConfig } from '../config/compile-config.ts'
import type { TypedConfig } from '../config/config.ts'
import { gatewayOptions } from '../config/gateway-options.ts'
import { VendorPool } from '../config/providers/vendor-pool.ts'
import { openState } from '../state/open-state.ts'
import type { Service } from './service.ts'
import type { ServiceOptions } from './service-options.ts'

/** What a service has of the world. */
export type ServiceWorld = Pick<World, 'env' | 'cwd' | 'print' | 'tell' | 'terminal' | 'colours' | 'now'>

/**
 * Serves a configuration, whose variables are filled in, as `loadConfig` gives it. It listens when this resolves; what it
 * opened is closed when its `close` has resolved. Signals are its caller's.
 *
 * Rejects with `ConfigFaults` for a configuration with faults, and with `CommandFault` for what cannot be opened and an
 * address that cannot be had; then nothing stays open.
 */
export async function startService(
  given: TypedConfig,
  world: ServiceWorld,
  options: ServiceOptions = {},
): Promise<Service> {
  const pool = new VendorPool()
  const { config, faults } = checkMade(given)
  const compiled = compileConfig(config, faults, pool)
  const state = await openState(config.state, world)
  const gateway = createGateway<IncomingMessage>(
    gatewayOptions(compiled, { ...state, prices: undefined, observe: undefined }),
  )
  let front: Gateway<IncomingMessage> = gateway
  const serving = await serve(
    {
      fetch: (...asked) => front.fetch(...asked),
      matches: (...asked) => front.matches(...asked),
      close: gateway.close,
    },
    { host: options.host ?? config.server?.host, port: options.port ?? config.server?.port, signals: false },
  ).catch(async (error: unknown) => {
    await gateway.close({ drainMs: 0 })
    await state.close()
    throw error instanceof Error ? new CommandFault(error.message) : error
  })
  front = gateway
  return {
    gateway: gateway as Service['gateway'],
    url: serving.url,
    get baseURL() {
      return `${serving.url}${config.server?.base ?? '/v1'}`
    },
    consoleURL: undefined,
    keys: state.database?.keys,
    usage: state.database?.usage,
    reload: async () => {},
    close: async () => {
      await serving.close({ drainMs: config.server?.drainMs ?? 30_000 })
      await state.close()
    },
  }
}
