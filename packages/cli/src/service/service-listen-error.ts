import { createServer } from 'node:net'
import type { ListenError } from '@sluice/node'
import { CommandError } from '../command.ts'

/** A service that cannot have its address. */
export class ServiceListenError extends CommandError {
  /** The address, where another program has its port; `undefined` where something else is wrong with it. */
  readonly portInUse: PortInUse | undefined

  constructor({ reason, code, host, port }: ListenError) {
    super(`${reason[0]!.toUpperCase()}${reason.slice(1)}`)
    this.portInUse = code === 'EADDRINUSE' ? { host, port } : undefined
  }
}

/** An address that another program has. */
interface PortInUse {
  readonly host: string
  readonly port: number
}

const maxTries = 100

/** The next port after one that is in use that nobody listens on; `undefined` where none of the next 100 is free. */
export async function nextFreePort({ host, port }: PortInUse): Promise<number | undefined> {
  for (let next = port + 1; next <= Math.min(port + maxTries, 65_535); next++) {
    if (await isFree(host, next)) return next
  }
  return undefined
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}
