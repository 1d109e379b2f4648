import { createServer } from 'node:net'
import { CommandFault } from '../command.ts'

/** An address that another program has. */
export interface PortInUse {
  readonly host: string
  readonly port: number
}

/** The address that a service could not listen on because another program uses the port; `undefined` for other errors. */
export function portInUse(error: unknown): PortInUse | undefined {
  if (!(error instanceof CommandFault)) return undefined
  const [, host, port] =
    /^Cannot listen on (.+):(\d+): another program uses that port/.exec(error.message) ?? []
  return host === undefined ? undefined : { host, port: Number(port) }
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
