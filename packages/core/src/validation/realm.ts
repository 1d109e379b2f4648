import type { Target } from '../contracts/provider.ts'
import { memberOf } from '../primitives/own-members.ts'
import { sha256Hex } from '../primitives/sha256.ts'

/** Returns a short digest of who alone can read the reasoning of a target's answers. */
export function realmOf({ provider, model }: Target): string {
  const realm = memberOf(provider, 'realm')
  const text = typeof realm === 'function' ? realm(model) : (realm ?? '')
  return sha256Hex(JSON.stringify([provider.name, text])).slice(0, 16)
}
