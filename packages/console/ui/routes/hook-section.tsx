import type { ConfiguredHook } from '../../src/api.ts'
import { span } from '../format/span.ts'
import { Loading } from '../parts/loading.tsx'
import { useSession } from '../session/session.ts'
import { useLoaded } from '../state/use-loaded.ts'
import { readsText, scopeText } from './hook-labels.ts'

/** The configured hooks in their order, with what each applies to and what its failure does. */
export function HookSection() {
  const { api } = useSession()
  const hooks = useLoaded(signal => api.hooks(signal), [api])
  return (
    <section class="hook-section" aria-labelledby="hooks-title">
      <div class="view-head">
        <h2 id="hooks-title">Hooks</h2>
        <p class="muted">They run in this order.</p>
      </div>
      <Loading what="the hooks" loaded={hooks}>
        {rows =>
          rows.length === 0 ? <p class="muted">The gateway has no hooks.</p> : <HookTable hooks={rows} />
        }
      </Loading>
    </section>
  )
}

function HookTable({ hooks }: { hooks: readonly ConfiguredHook[] }) {
  return (
    <div class="table-box">
      <table class="table">
        <caption class="hidden">Hooks in their order</caption>
        <thead>
          <tr>
            <th scope="col">Hook</th>
            <th scope="col" class="less">
              Reads
            </th>
            <th scope="col">Applies to</th>
            <th scope="col">If it fails</th>
            <th scope="col" class="number less">
              Timeout
            </th>
          </tr>
        </thead>
        <tbody>
          {hooks.map((hook, at) => (
            <tr key={hook.name} data-hook={hook.name}>
              <th scope="row" class="name hook-name">
                <span class="muted">{at + 1}</span> {hook.name}
              </th>
              <td class="less">{readsText(hook)}</td>
              <td class="name">{scopeText(hook)}</td>
              <td>{hook.onFailure === 'open' ? 'Continues without it' : 'Request fails'}</td>
              <td class="number less">{span(hook.timeoutMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
