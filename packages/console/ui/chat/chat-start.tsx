import { Empty } from '../parts/empty.tsx'
import { FirstRequest } from '../parts/first-request.tsx'

/** What is shown before the first message. */
export function ChatStart({ model, short }: { model: string; short: boolean }) {
  return (
    <>
      <Empty title={short ? 'No messages yet' : 'Start a conversation'}>
        {model === ''
          ? 'This gateway has no models yet.'
          : `Responses of ${model} are streamed here, as for any client.`}
      </Empty>
      {!short && model !== '' && <FirstRequest model={model} />}
    </>
  )
}
