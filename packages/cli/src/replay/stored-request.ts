import type { Database, LoggedRequest, RecordedBodies } from '@sluice/core/store'
import { BodyKeyError, type BodyLog, createRequestLog } from '@sluice/log'
import { type CommandContext, CommandError } from '../command.ts'
import { printable } from '../command-line/printable.ts'
import type { TypedConfig } from '../config/config.ts'
import { bodyLogConfig, openBodyLog } from '../service/open-request-log.ts'

/** A request whose bodies are stored. */
export interface StoredRequest {
  readonly bodies: RecordedBodies
  /** Its row in the request log; `undefined` if it is not there any longer. */
  readonly row: LoggedRequest | undefined
  /** Reads bodies. It is closed: nothing more is stored. */
  readonly bodyLog: Pick<BodyLog, 'replayBody' | 'responseText'>
}

/**
 * Returns a request with its bodies. Throws `CommandError` if the configuration stores none, there are none of it, they have
 * expired, or their key is not there.
 */
export async function findStoredRequest(
  id: string,
  config: TypedConfig,
  database: Database | undefined,
  context: CommandContext,
): Promise<StoredRequest> {
  const settings = bodyLogConfig(config)
  if (settings === undefined || database === undefined) {
    throw new CommandError('replay: no bodies are stored, because the configuration has no log.bodies.')
  }
  const row = await loggedRequestOf(id, database)
  const bodyLog = openBodyLog(settings, database, { log: context.log, observe: () => {} })
  try {
    const bodies = await bodyLog.get(id)
    if (bodies !== undefined) return { bodies, row, bodyLog }
  } catch (error) {
    if (!(error instanceof BodyKeyError)) throw error
    throw new CommandError(`replay: ${printable(error.message, 500)} The keys are those of log.bodies.`)
  } finally {
    await bodyLog.close()
  }
  throw new CommandError(`replay: ${absenceText(id, row, settings.retentionDays, context.now())}`)
}

function absenceText(id: string, row: LoggedRequest | undefined, days: number, now: number): string {
  const name = printable(id)
  if (row === undefined) return `there are no bodies of ${name}, and no such request is in the request log.`
  if (row.at < now - days * 86_400_000) {
    return `the bodies of ${name} have expired: log.bodies.retentionDays is ${days}.`
  }
  return `there are no bodies of ${name}: log.bodies did not select it, it was rejected before its body was read, or they were lost.`
}

async function loggedRequestOf(id: string, { requestLog }: Database): Promise<LoggedRequest | undefined> {
  const log = createRequestLog({ repository: requestLog, retention: { maxAgeMs: null } })
  try {
    return await log.get(id)
  } finally {
    await log.close()
  }
}
