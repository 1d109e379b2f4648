import { parseArgs } from 'node:util'
import type { PostgresClient } from './client.ts'
import { migrateTables, migrationStatus } from './migrate.ts'
import { migrations } from './migrations.ts'
import { parseSchema, type Schema } from './schema.ts'
import { withConnection } from './with-connection.ts'

const usage = `sluice-postgres migrate [--url URL] [--schema NAME]   brings the tables to version ${migrations.length}
sluice-postgres status  [--url URL] [--schema NAME]   prints the version of the tables; changes nothing

The URL is taken from DATABASE_URL where it is not given: others on the machine can see what a command is given.
The schema is sluice where none is given.`

/** Where a command writes. */
export interface Output {
  out(line: string): void
  error(line: string): void
}

interface Call {
  readonly run: (client: PostgresClient, schema: Schema, output: Output) => Promise<number>
  readonly url: string
  readonly schema: Schema
}

/**
 * Runs one command. Resolves to the exit code: 0; 1 where it failed or there is something to do; 2 for a wrong call.
 * Messages never contain the URL, nor errors of the database, which may quote a part of it.
 */
export async function command(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
  output: Output,
): Promise<number> {
  let call: Call | undefined
  try {
    call = parseCall(args, env)
  } catch (error) {
    output.error(`${messageOf(error)}\n\n${usage}`)
    return 2
  }
  if (call === undefined) {
    output.out(usage)
    return 0
  }
  const { run, url, schema } = call
  try {
    return await withConnection(url, folder, client => run(client, schema, output))
  } catch (error) {
    output.error(messageOf(error))
    return 1
  }
}

/** Returns `undefined` for a request for help. Throws `TypeError` for invalid arguments. */
function parseCall(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Call | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      schema: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) return undefined
  const [name] = positionals
  if (positionals.length !== 1 || (name !== 'migrate' && name !== 'status')) {
    throw new TypeError('sluice-postgres: expected one command, "migrate" or "status".')
  }
  const url = values.url ?? env.DATABASE_URL
  if (url === undefined || !/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new TypeError(
      'sluice-postgres: expected DATABASE_URL, or --url, to be a URL such as postgres://user:password@host/database.',
    )
  }
  return { run: name === 'migrate' ? migrate : status, url, schema: parseSchema(values.schema) }
}

async function migrate(client: PostgresClient, schema: Schema, { out }: Output): Promise<number> {
  const { version: before } = await migrationStatus(client, schema)
  await migrateTables(client, schema)
  const { version } = await migrationStatus(client, schema)
  out(
    before === version
      ? `Schema '${schema.name}' is of version ${version}: nothing to do.`
      : `Schema '${schema.name}': version ${before} to ${version}.`,
  )
  return 0
}

async function status(client: PostgresClient, schema: Schema, { out }: Output): Promise<number> {
  const { version, needed } = await migrationStatus(client, schema)
  const at = `Schema '${schema.name}' is of version ${version}`
  if (version < needed) out(`${at}, ${needed} is needed. Run "sluice-postgres migrate".`)
  else if (version > needed) out(`${at}, this package needs ${needed}: it will do.`)
  else out(`${at}: nothing to do.`)
  return version < needed ? 1 : 0
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Something that is no error was thrown.'
}
