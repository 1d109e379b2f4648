import { useEffect, useRef, useState } from 'preact/hooks'
import type { IssuedKeyRow, KeyRow } from '../../src/api.ts'
import { Empty } from '../parts/empty.tsx'
import { FirstRequest } from '../parts/first-request.tsx'
import { Loading } from '../parts/loading.tsx'
import { useSession } from '../session/session.ts'
import { useLoaded } from '../state/use-loaded.ts'
import { DeleteKey } from './delete-key.tsx'
import { EditKey } from './edit-key.tsx'
import { IssueKey } from './issue-key.tsx'
import { KeyList } from './key-list.tsx'
import type { KeyAction } from './key-table.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { RotateKey } from './rotate-key.tsx'

type Open =
  | { readonly what: 'issue' }
  | { readonly what: 'edit' | 'rotate' | 'delete'; readonly row: KeyRow }
  | { readonly what: 'shown'; readonly issued: IssuedKeyRow }

/** The keys of callers: issued, edited, rotated, disabled and deleted. */
export function KeysView() {
  const { about } = useSession()
  return about.keys ? (
    <ManagedKeys />
  ) : (
    <>
      <div class="view-head">
        <h1>Keys</h1>
      </div>
      <Empty title="No key store">Configure a key store to manage API keys on this page.</Empty>
    </>
  )
}

function ManagedKeys() {
  const { api } = useSession()
  const keys = useLoaded(signal => api.keys(signal), [api])
  const [open, setOpen] = useState<Open>()
  const [problem, setProblem] = useState<string>()
  const close = () => setOpen(undefined)
  const top = useRef<HTMLHeadingElement>(null)
  const gone = useRef(false)
  useEffect(() => {
    if (open === undefined && gone.current) top.current?.focus()
    gone.current = false
  }, [open])
  /** What was done took its time: meanwhile it may have been closed, and another opened. */
  const done = (what: Open) => {
    setOpen(last => (last === what ? undefined : last))
    keys.reload()
  }
  const issued = (row: IssuedKeyRow) => {
    setOpen({ what: 'shown', issued: row })
    keys.reload()
  }
  const act = (row: KeyRow, action: KeyAction) => {
    setProblem(undefined)
    if (action === 'edit' || action === 'rotate' || action === 'delete') return setOpen({ what: action, row })
    api.change(row.id, { disabled: action === 'disable' }).then(keys.reload, (error: Error) => {
      setProblem(error.message)
    })
  }
  return (
    <>
      <div class="view-head">
        <h1 ref={top} tabIndex={-1}>
          Keys
        </h1>
        <button class="button primary" type="button" onClick={() => setOpen({ what: 'issue' })}>
          Create a key
        </button>
      </div>
      {problem !== undefined && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      <Loading what="the keys" loaded={keys}>
        {rows =>
          rows.length === 0 ? (
            <>
              <Empty title="No keys yet">
                Create one for each service or person that calls this gateway.
              </Empty>
              <FirstRequest />
            </>
          ) : (
            <KeyList keys={rows} onAction={act} />
          )
        }
      </Loading>
      {open?.what === 'issue' && <IssueKey onIssued={issued} onClose={close} />}
      {open?.what === 'edit' && <EditKey row={open.row} onChanged={() => done(open)} onClose={close} />}
      {open?.what === 'rotate' && <RotateKey row={open.row} onRotated={issued} onClose={close} />}
      {open?.what === 'delete' && (
        <DeleteKey
          row={open.row}
          onDeleted={() => {
            // The button that it was asked by goes with the key.
            gone.current = true
            done(open)
          }}
          onClose={close}
        />
      )}
      {open?.what === 'shown' && <NewKeyDialog issued={open.issued} onClose={close} />}
    </>
  )
}
