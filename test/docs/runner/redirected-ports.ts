import { once } from 'node:events'
import { type AddressInfo, Server } from 'node:net'

/** The servers that a snippet started, and the ports that they got in place of those they asked for. */
export interface Redirection {
  /** The free port that was taken for a port. Waits until the server listens. */
  port(asked: number): Promise<number>
  stop(): Promise<void>
}

/**
 * While it lasts, `listen(3000)` takes a free port of this machine in place of 3000, so that snippets can say
 * what their readers would say, and many of them can run at once.
 */
export function redirectPorts(): Redirection {
  const servers = new Map<number, Server>()
  const { listen } = Server.prototype
  Server.prototype.listen = function (this: Server, ...args: unknown[]): Server {
    const [first] = args
    if (typeof first === 'number') {
      servers.set(first, this)
      args[0] = 0
    } else if (typeof first === 'object' && first !== null && 'port' in first) {
      servers.set(Number(first.port), this)
      args[0] = { ...first, port: 0 }
    }
    return Reflect.apply(listen, this, args)
  } as typeof listen
  return {
    async port(asked) {
      const server = servers.get(asked)
      if (server === undefined) {
        throw new Error(`Nothing listens on ${asked}, only on [${[...servers.keys()].join(', ')}].`)
      }
      if (!server.listening) await once(server, 'listening')
      return (server.address() as AddressInfo).port
    },
    async stop() {
      Server.prototype.listen = listen
      for (const server of servers.values()) {
        if (!server.listening) continue
        const closed = once(server, 'close')
        server.close()
        if ('closeAllConnections' in server) (server.closeAllConnections as () => void)()
        await closed
      }
    },
  }
}
