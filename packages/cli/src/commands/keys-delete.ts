import { deletePrincipal } from '@sluice/core/keys'
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

  --records         also deletes the records of the key in the ledger
${databaseHelp}

This cannot be undone. sluice keys disable can.
With --records, the key may be one of the configuration, or deleted already: requests that were in flight have
records again when they end.

Example: sluice keys delete Zr8m0KpQ2LxT`,
  options: { records: { type: 'boolean' }, ...databaseOptions },
  async run(values, positionals, context) {
    const id = onlyPositional('keys delete', 'the id of one key', positionals)
    return withDatabase(values, context, async database => {
      const { keys, label } = database
      if (values.records === true) {
        context.log(await deleteWithRecords(id, database))
        return 0
      }
      const { name } = await findKey(keys, id, label)
      await keys.delete(id)
      context.log(`${id} (${name}) was deleted from ${label}.`)
      return 0
    })
  },
}

/** Returns what was deleted. Throws `CommandError` where there was nothing. */
async function deleteWithRecords(id: string, { keys, ledger, label }: NamedDatabase): Promise<string> {
  const known = await keys.get(id)
  const deleted = await deletePrincipal({ id, source: 'api_keys' }, { keys, ledger })
  if (deleted.unreached.length > 0) throw new CommandError(`${label} cannot delete records.`)
  // Records of older versions have no source.
  const older = await deletePrincipal({ id }, { ledger })
  const records = deleted.records + older.records
  if (known === undefined && records === 0) {
    throw new CommandError(`There is no key ${printable(id)}, and no record of it, in ${label}.`)
  }
  const counted = records === 1 ? '1 record' : `${records} records`
  const name = known === undefined ? printable(id) : `${id} (${known.name})`
  const what = known === undefined ? `${counted} of ${name}` : `${name} with ${counted}`
  return `Deleted ${what} from ${label}. Cached responses and idempotency keys stay until they expire.`
}
