import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { PostgresClient } from './client.ts'
import { errorCode, PostgresError } from './store-error.ts'

/** The part of `pg` that this package uses. */
interface Driver {
  readonly Client: new (config: {
    connectionString: string
    connectionTimeoutMillis: number
  }) => PostgresClient & {
    connect(): Promise<unknown>
    end(): Promise<unknown>
    on(event: 'error', listener: () => void): unknown
  }
}

/** How to fix a failed connection, by error code. */
const hints: Readonly<Record<string, string>> = {
  '28P01': 'The user or the password is refused.',
  '28000': 'The user is refused, or has to come in another way, such as by TLS.',
  '3D000': 'There is no such database on the server.',
  ECONNREFUSED: 'Nothing listens there. Is the server running, and is it the right port?',
  ENOTFOUND: 'The host is not known.',
}

/** Calls `run` with one connection of the `pg` that is installed in the project in `folder`. */
export async function withConnection<T>(
  url: string,
  folder: string,
  run: (client: PostgresClient) => Promise<T>,
): Promise<T> {
  const { Client } = loadDriver(folder)
  const client = constructClient(() => new Client({ connectionString: url, connectionTimeoutMillis: 10_000 }))
  // A broken connection also rejects its queries.
  client.on('error', () => {})
  try {
    await client.connect().catch((error: unknown) => {
      const code = errorCode(error)
      const hint = (code !== undefined && hints[code]) || 'Check the URL, and that the server can be reached.'
      throw new PostgresError(
        `No connection to PostgreSQL${code === undefined ? '' : ` (${code})`}. ${hint}`,
        code,
      )
    })
    return await run(client)
  } finally {
    await client.end().catch(() => {})
  }
}

function loadDriver(folder: string): Driver {
  const load = createRequire(join(folder, 'package.json'))
  try {
    return load('pg') as Driver
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND'
    throw new Error(
      missing
        ? "The package 'pg' is not installed in this project. Run `npm install pg` here, and this command again."
        : "The package 'pg' of this project cannot be loaded. Run `npm install pg` here, and this command again.",
    )
  }
}

/** Errors of `pg` about a URL may quote it. */
function constructClient<T>(make: () => T): T {
  try {
    return make()
  } catch {
    throw new TypeError('sluice-postgres: the URL is none that pg takes.')
  }
}
