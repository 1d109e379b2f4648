import { createServer } from 'node:net'

/** An address that another program has. */
export interface PortInUse {
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
