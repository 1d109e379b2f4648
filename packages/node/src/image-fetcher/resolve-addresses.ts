import { Resolver } from 'node:dns/promises'

/**
 * All addresses that the DNS has for a name, IPv4 first. Unlike the system's own look-up it can be stopped, holds
 * no thread while a stranger's server keeps silent, and reads no local file of hosts.
 *
 * Rejects when there is none, and with the signal's reason as soon as it aborts.
 *
 * @param servers - `127.0.0.1:53`. Default: those of this machine.
 */
export async function resolveAddresses(
  name: string,
  signal: AbortSignal,
  servers?: readonly string[],
): Promise<readonly string[]> {
  signal.throwIfAborted()
  const resolver = new Resolver({ timeout: 1_000, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    signal.throwIfAborted()
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason
    return [v4, v6].flatMap(found => (found.status === 'fulfilled' ? found.value : []))
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
