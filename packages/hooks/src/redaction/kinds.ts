import { cards } from './find-cards.ts'
import { emails } from './find-emails.ts'
import { ibans } from './find-ibans.ts'
import { phones } from './find-phones.ts'
import { privateKeys } from './find-private-keys.ts'
import { tokens } from './find-tokens.ts'
import type { Finder } from './finder.ts'

/**
 * What `redact` can find: mail addresses, phone numbers in international form, bank account numbers, payment cards, and secret keys.
 */
export type RedactedKind = 'email' | 'phone' | 'iban' | 'card' | 'secret'

/** The finders of each kind. Of values that begin at the same position, the kind that comes first wins. */
export const findersOf: Readonly<Record<RedactedKind, readonly Finder[]>> = {
  secret: [tokens, privateKeys],
  email: [emails],
  iban: [ibans],
  card: [cards],
  phone: [phones],
}

/** All kinds that `redact` can find. */
export const redactedKinds = Object.keys(findersOf) as readonly RedactedKind[]
