import { callerName } from '../session/key-names.ts'
import { useSession } from '../session/session.ts'
import { useStore } from '../state/use-store.ts'

/** A caller by the name of its key; its id is shown beside it, or when pointed at. */
export function CallerName({
  id,
  source,
  withId = false,
}: {
  id: string | undefined
  source?: string | undefined
  withId?: boolean
}) {
  const names = useStore(useSession().names.state)
  if (id === undefined) return <>–</>
  const name = callerName({ id, source }, names)
  if (name === id) return <>{id}</>
  return withId ? (
    <>
      {name} <code class="id muted">{id}</code>
    </>
  ) : (
    <span title={id}>{name}</span>
  )
}
