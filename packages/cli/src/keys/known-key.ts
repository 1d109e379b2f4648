import type { KeyStore, StoredKey } from '@sluice/core'
import { CommandFault } from '../command.ts'
import { shown } from '../command-line/shown.ts'

/** The key with an id. Throws `CommandFault` where there is none. */
export async function knownKey(keys: KeyStore, id: string, place: string): Promise<StoredKey> {
  const key = await keys.get(id)
  if (key !== undefined) return key
  throw new CommandFault(`There is no key ${shown(id)} in ${place}. sluice keys list shows those there are.`)
}
