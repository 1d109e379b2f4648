import { describe, inject } from 'vitest'
import { type Mount, mounts } from '../../../e2e/mounts/mounts.ts'

/** The servers over which the faults of a file that takes long are tried. */
export const everyServer = ['node http', 'express 5'] as const
/** Those of all other files: Node's own with the quick tests, Express 5 with the others. */
export const servers = inject('servers') ?? everyServer
/** Every host, with the gateway at its root. */
const hosts = ['node http', 'express 4', 'express 5', 'koa 2', 'koa 3'] as const

/** Registers tests once for each of the `servers`. */
export function overServers(tests: (mount: Mount) => void): void {
  describe.each(servers.map(name => [name, mountOf(name)] as const))('%s', (_, mount) => tests(mount))
}

/** Registers tests of a file that takes long, once for each server. */
export function overEveryServer(tests: (mount: Mount) => void): void {
  describe.each(everyServer.map(name => [name, mountOf(name)] as const))('%s', (_, mount) => tests(mount))
}

/** Registers tests once for every way to mount a gateway, for what a mount could get wrong. */
export function overAllMounts(tests: (mount: Mount) => void): void {
  describe.each(Object.entries(mounts))('%s', (_, mount) => tests(mount))
}

/** Registers tests once for every host, for what a host could get wrong wherever in it the gateway stands. */
export function overHosts(tests: (mount: Mount) => void): void {
  describe.each(hosts.map(name => [name, mountOf(name)] as const))('%s', (_, mount) => tests(mount))
}

/** The mount of this name. */
export function mountOf(name: string): Mount {
  const mount = mounts[name]
  if (mount === undefined) throw new Error(`There is no mount called ${name}.`)
  return mount
}
