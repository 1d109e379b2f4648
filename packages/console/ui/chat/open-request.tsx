import { useEffect, useState } from 'preact/hooks'
import type { LoggedBodies } from '../../src/api.ts'
import { useSession } from '../session/session.ts'
import { useViewLocation } from '../shell/location.ts'
import type { Chat } from './chat.ts'
import { type OpenedRequest, openedRequest } from './opened-request.ts'

/** The request that each chat has loaded last: going back to its address does not load it again. */
const loaded = new WeakMap<Chat, string>()

/**
 * Loads the stored request that the address names, `#/chat?request=ID`, into the chat: its model, parameters, tools and messages,
 * the last one as a draft. Nothing is sent.
 */
export function OpenRequest() {
  const { api, chat } = useSession()
  const { search } = useViewLocation()
  const id = new URLSearchParams(search).get('request') ?? ''
  const [said, setSaid] = useState<string>()
  useEffect(() => {
    if (id === '' || loaded.get(chat) === id) return
    const loading = new AbortController()
    setSaid(undefined)
    api.bodies(id, loading.signal).then(
      bodies => {
        if (loading.signal.aborted) return
        const opened = bodies === null ? undefined : openedOf(bodies)
        if (opened === undefined) {
          return setSaid('The request cannot be opened: its body is not stored, or is not one of a chat.')
        }
        loaded.set(chat, id)
        chat.fill(opened)
        setSaid(
          opened.omitted.length === 0
            ? undefined
            : `Of the request this was not taken over: ${opened.omitted.join(', ')}.`,
        )
      },
      (error: unknown) => {
        if (loading.signal.aborted) return
        setSaid(`Cannot load the request: ${error instanceof Error ? error.message : String(error)}`)
      },
    )
    return () => loading.abort()
  }, [api, chat, id])
  if (said === undefined) return null
  return (
    <p class="notice bad" role="alert">
      {said}
    </p>
  )
}

function openedOf({ path, model, request }: LoggedBodies): OpenedRequest | undefined {
  return request === undefined ? undefined : openedRequest(path, model, request)
}
