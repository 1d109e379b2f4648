import { useState } from 'preact/hooks'
import { Empty } from '../parts/empty.tsx'
import { scrollable } from '../parts/scrollable.ts'
import { Tabs } from '../parts/tabs.tsx'
import type { Exchange, Turn } from './chat-types.ts'
import { RawRequest } from './raw-request.tsx'
import { RawResponse } from './raw-response.tsx'

type Tab = 'request' | 'response'

const tabs: readonly (readonly [Tab, string])[] = [
  ['response', 'Response'],
  ['request', 'Request'],
]

/** The last request and its answer, as they went over the wire. */
export function ExchangePanel({
  exchange,
  last,
}: {
  exchange: Exchange | undefined
  last: Turn | undefined
}) {
  const [tab, setTab] = useState<Tab>('response')
  return (
    <section class="exchange" aria-labelledby="exchange-title">
      <div class="exchange-head">
        <h2 id="exchange-title">HTTP exchange</h2>
        <Tabs<Tab> label="HTTP exchange" tabs={tabs} value={tab} onChange={setTab} panel="exchange-panel" />
      </div>
      <div id="exchange-panel" class="exchange-body" role="tabpanel" aria-label={tab} {...scrollable}>
        {exchange === undefined ? (
          <Empty title="Nothing yet">Shows the raw request, and each event of its response.</Empty>
        ) : tab === 'request' ? (
          <RawRequest request={exchange.request} />
        ) : (
          <RawResponse exchange={exchange} usage={last?.usage} />
        )}
      </div>
    </section>
  )
}
