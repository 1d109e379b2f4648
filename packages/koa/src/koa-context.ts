import type { IncomingMessage } from 'node:http'
import type { MountedContext } from './mount.ts'
import type { ResponseContext } from './respond.ts'

/** The members of Koa's `ctx` that the adapter uses, in Koa 2 and 3. */
export interface KoaContext extends ResponseContext, MountedContext {
  /** `rawBody` and `body` are the results of a body parser. */
  readonly request: { readonly req: IncomingMessage; readonly rawBody?: unknown; readonly body?: unknown }
  readonly url: string
  readonly protocol: string
  readonly host: string
  readonly state: Record<string, unknown>
}
