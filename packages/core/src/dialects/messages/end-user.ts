import type { JsonObject } from '../../protocol/chat.ts'
import { jsonMember } from '../../protocol/json-members.ts'

/** What a client says of its end user in `metadata.user_id`. */
export interface EndUser {
  /** The value as it came. */
  readonly id: string
  /** The user without the session: the same in all sessions of a client that puts both into the value. */
  readonly user: string
  /** The session, if the value has one. */
  readonly session?: string | undefined
}

/** Longer ones are not searched for a session. */
const maxLength = 4_096

/** An older form: `user_..._account_..._session_...`. */
const withSession = /^(.+)_session_([0-9a-zA-Z-]{1,64})$/s

/** Returns the end user of a body, which may be invalid. */
export function endUserOf(body: JsonObject): EndUser | undefined {
  const id = jsonMember(jsonMember(body, 'metadata'), 'user_id')
  if (typeof id !== 'string') return undefined
  if (id.length > maxLength) return { id, user: id }
  if (id.startsWith('{')) return ofMembers(id)
  const [, user, session] = withSession.exec(id) ?? []
  return user === undefined ? { id, user: id } : { id, user, session }
}

/** Of a value that is JSON with an account, a device and a session. */
function ofMembers(id: string): EndUser {
  let value: JsonObject
  try {
    value = JSON.parse(id) as JsonObject
  } catch {
    return { id, user: id }
  }
  const textOf = (name: string) => {
    const member = jsonMember(value, name)
    return typeof member === 'string' && member !== '' ? member : undefined
  }
  const session = textOf('session_id')
  return { id, user: textOf('account_uuid') ?? textOf('device_id') ?? id, session }
}
