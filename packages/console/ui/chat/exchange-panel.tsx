import { useState } from 'preact/hooks'
import { Choice } from '../parts/choice.tsx'
import { Empty } from '../parts/empty.tsx'
import { scrollable } from '../parts/scrollable.ts'
import { Tabs } from '../parts/tabs.tsx'
import type { ChatSide } from './chat.ts'
import { RawRequest } from './raw-request.tsx'
import { RawResponse } from './raw-response.tsx'

type Tab = 'request' | 'response'

const tabs: readonly (readonly [Tab, string])[] = [
  ['response', 'Response'],
  ['request', 'Request'],
]

/** The last request and its answer, as they went over the wire; of two models that of one of them. */
export function ExchangePanel({ sides }: { sides: readonly ChatSide[] }) {
  const [tab, setTab] = useState<Tab>('response')
  const [chosen, setChosen] = useState(0)
  const { exchange, turns } = sides[chosen] ?? sides[0]!
  return (
    <section class="exchange" aria-labelledby="exchange-title">
      <div class="exchange-head">
        <h2 id="exchange-title">HTTP exchange</h2>
        {sides.length > 1 && (
          <Choice
            label="HTTP exchange of"
            bare
            value={String(chosen)}
            options={sides.map(({ model }, at) => [String(at), model] as const)}
            onChange={side => setChosen(Number(side))}
          />
        )}
        <Tabs<Tab> label="HTTP exchange" tabs={tabs} value={tab} onChange={setTab} panel="exchange-panel" />
      </div>
      <div id="exchange-panel" class="exchange-body" role="tabpanel" aria-label={tab} {...scrollable}>
        {exchange === undefined ? (
          <Empty title="Nothing yet">Shows the raw request, and each event of its response.</Empty>
        ) : tab === 'request' ? (
          <RawRequest request={exchange.request} />
        ) : (
          <RawResponse exchange={exchange} usage={turns.at(-1)?.usage} />
        )}
      </div>
    </section>
  )
}
