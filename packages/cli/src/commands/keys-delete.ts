import { deletePrincipal, type PrincipalStores } from '@sluice/core/keys'
import { type Command, CommandError } from '../command.ts'
import { onlyPositional } from '../command-line/arguments.ts'
import { printable } from '../command-line/printable.ts'
import {
  databaseHelp,
  databaseOptions,
  findKey,
  type NamedDatabase,
  withDatabase,
} from '../keys/with-database.ts'

/** `sluice keys delete`. */
export const keysDelete: Command = {
  name: 'keys delete',
  summary: 'deletes a key; its usage stays in the ledger',
  help: `
Usage: sluice keys delete ID [options]

  --records         also deletes the records of the key in the ledger and in the request log, and the bodies of its requests
${databaseHelp}

Responses that are stored for the key in the database or in Redis are deleted, too.
This cannot be undone. sluice keys disable can.
With --records, the key may be one of the configuration, or deleted already: requests that were in flight have
records again when they end.

Example: sluice keys delete Zr8m0KpQ2LxT`,
  options: { records: { type: 'boolean' }, ...databaseOptions },
  async run(values, positionals, context) {
    const id = onlyPositional('keys delete', 'the id of one key', positionals)
    const deletes = values.records === true ? deleteWithRecords : deleteKey
    return withDatabase(
      values,
      context,
      async database => {
        context.log(await deletes(id, database))
        return 0
      },
      { opensRedis: true },
    )
  },
}

/** Returns what was deleted. Throws `CommandError` where there was nothing. */
async function deleteKey(id: string, database: NamedDatabase): Promise<string> {
  const { keys, label } = database
  const known = await keys.get(id)
  const { responses } = await deleteStored(id, database, { keys })
  if (known === undefined && responses === 0) await findKey(keys, id, label)
  const name = known === undefined ? printable(id) : `${id} (${known.name})`
  return `${name} was deleted from ${label}${responses === 0 ? '' : `, with ${counted(responses, 'stored response')}`}.`
}

/** Returns what was deleted. Throws `CommandError` where there was nothing. */
async function deleteWithRecords(id: string, database: NamedDatabase): Promise<string> {
  const { keys, ledger, requestLog, bodyLog, label } = database
  const known = await keys.get(id)
  const deleted = await deleteStored(id, database, { keys, ledger, log: requestLog, bodies: bodyLog })
  // Records of older versions have no source.
  const older = await deletePrincipal({ id }, { ledger })
  const records = deleted.records + older.records
  const { loggedRequests, bodies } = deleted
  if (known === undefined && records + deleted.responses + loggedRequests + bodies === 0) {
    throw new CommandError(`There is no key ${printable(id)}, and no record of it, in ${label}.`)
  }
  const counts = [
    counted(records, 'record'),
    ...(loggedRequests === 0 ? [] : [counted(loggedRequests, 'logged request')]),
    ...(bodies === 0 ? [] : [`the bodies of ${counted(bodies, 'request')}`]),
    ...(deleted.responses === 0 ? [] : [counted(deleted.responses, 'stored response')]),
  ].join(' and ')
  const name = known === undefined ? printable(id) : `${id} (${known.name})`
  const what = known === undefined ? `${counts} of ${name}` : `${name} with ${counts}`
  return `Deleted ${what} from ${label}. Cached responses, idempotency keys, and responses that a service has stored in memory, stay until they expire.`
}

/** How much was deleted of a key. */
interface DeletedCounts {
  readonly records: number
  readonly loggedRequests: number
  readonly bodies: number
  readonly responses: number
}

/** Deletes the key first. Throws `CommandError` if something cannot be deleted. */
async function deleteStored(
  id: string,
  { responseStores, label }: NamedDatabase,
  stores: PrincipalStores,
): Promise<DeletedCounts> {
  const principal = { id, source: 'api_keys' }
  const { records, loggedRequests, bodies, unreached } = await deletePrincipal(principal, stores)
  if (unreached.length > 0) throw new CommandError(`${label} cannot delete records.`)
  let responses = 0
  for (const store of responseStores()) {
    responses += (await deletePrincipal(principal, { responses: store })).responses
  }
  return { records, loggedRequests, bodies, responses }
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
