import { serve } from '@sluice/node'
import { describe } from 'vitest'
import { type Mount, mounts } from '../../../e2e/mounts/mounts.ts'

/** The service as `serve` runs it, where the server too is the library's. */
export const served: Mount = async gateway => {
  const { server, port, url } = await serve(gateway, { port: 0, signals: false })
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { baseURL: `${url}/v1`, origin: url, port, close }
}

const hosts = ['node http', 'express 4', 'express 5', 'koa 2', 'koa 3']

/** Registers tests once for each kind of host at its root, and for `serve`. */
export function overHosts(tests: (mount: Mount) => void): void {
  const chosen = Object.entries(mounts).filter(([name]) => hosts.includes(name))
  describe.each([['serve', served] as const, ...chosen])('%s', (_, mount) => tests(mount))
}
