import { createServer } from 'node:net'
import { listen } from './listen.ts'

/** Returns a port of 127.0.0.1 on which nothing listens, so that connections to it are refused. */
export async function findClosedPort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await new Promise<void>(resolve => server.close(() => resolve()))
  return port
}
