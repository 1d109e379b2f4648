import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Connection } from './connection.ts'
import { createDatabaseFile } from './create-database-file.ts'
import { NoDriverError } from './drivers/choose-driver.ts'
import { type Location, openError, parseLocation } from './location.ts'
import { migrate, requiredVersion, SchemaVersionError, schemaVersion } from './migrate.ts'

const usage = `sluice-sqlite migrate --url file:./sluice.db   brings the tables to version ${requiredVersion}; makes the file
sluice-sqlite status  --url file:./sluice.db   prints the version of the tables; changes nothing`

/** Where a command writes. */
export interface Output {
  out(line: string): void
  error(line: string): void
}

/** Runs one command. Resolves to the exit code: 0; 1 where it failed or there is something to do; 2 for a wrong call. */
export async function command(args: readonly string[], output: Output): Promise<number> {
  let call: Call | undefined
  try {
    call = parseCall(args)
  } catch (error) {
    output.error(`${messageOf(error)}\n\n${usage}`)
    return 2
  }
  if (call === undefined) {
    output.out(usage)
    return 0
  }
  try {
    return await call.run(call.at, output)
  } catch (error) {
    output.error(messageOf(error))
    return 1
  }
}

interface Call {
  readonly run: (at: Location, output: Output) => Promise<number>
  readonly at: Location
}

/** Returns `undefined` for a request for help. Throws `TypeError` for invalid arguments. */
function parseCall(args: readonly string[]): Call | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { url: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help === true) return undefined
  const [name] = positionals
  if (positionals.length !== 1 || (name !== 'migrate' && name !== 'status')) {
    throw new TypeError('sluice-sqlite: expected one command, "migrate" or "status".')
  }
  const at = parseLocation('--url', values.url)
  if (at.path === undefined) throw new TypeError('--url: a database in memory ends with this command.')
  return { run: name === 'migrate' ? runMigrate : runStatus, at }
}

async function runMigrate(at: Location, { out }: Output): Promise<number> {
  createDatabaseFile(at)
  const [before, after] = await withConnection(at, async connection => {
    await connection.useWriteAheadLog()
    const version = await schemaVersion(connection)
    await migrate(connection)
    return [version, await schemaVersion(connection)] as const
  })
  out(
    before === after
      ? `${at.url} is of version ${after}: nothing to do.`
      : `${at.url}: version ${before} to ${after}.`,
  )
  return 0
}

async function runStatus(at: Location, { out }: Output): Promise<number> {
  if (at.path !== undefined && !existsSync(at.path)) {
    out(`${at.url} does not exist. "migrate" makes it.`)
    return 1
  }
  const version = await withConnection(at, schemaVersion)
  if (version === requiredVersion) out(`${at.url} is of version ${version}: nothing to do.`)
  else if (version > requiredVersion) {
    out(`${at.url} is of version ${version}, this package knows ${requiredVersion}. Update the package.`)
  } else out(`${at.url} is of version ${version}, ${requiredVersion} is needed. Run "migrate".`)
  return version === requiredVersion ? 0 : 1
}

async function withConnection<T>(at: Location, work: (connection: Connection) => Promise<T>): Promise<T> {
  let connection: Connection | undefined
  try {
    connection = await Connection.open(at.url)
    return await work(connection)
  } catch (error) {
    throw error instanceof SchemaVersionError || error instanceof NoDriverError
      ? error
      : openError('sluice-sqlite', at, error)
  } finally {
    connection?.close()
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
