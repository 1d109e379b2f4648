import { useRef, useState } from 'preact/hooks'
import { fileSize } from '../format/file-size.ts'
import { useSession } from '../session/session.ts'
import type { ChatImage } from './chat-types.ts'
import { imageTypes, readImages } from './read-images.ts'

/** Where one writes and adds images. Enter sends, Shift and Enter begin a line. */
export function Composer({
  draft,
  images,
  running,
  begun,
  problem,
}: {
  draft: string
  images: readonly ChatImage[]
  running: boolean
  begun: boolean
  /** Why nothing can be sent. */
  problem: string | undefined
}) {
  const { chat } = useSession()
  const field = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const [imageProblem, setImageProblem] = useState<string>()
  const [isDropping, setDropping] = useState(false)
  const isEmpty = draft.trim() === '' && images.length === 0
  const submit = (event: Event) => {
    event.preventDefault()
    if (!running && problem === undefined) void chat.send()
  }
  const typed = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event)
  }
  const clear = () => {
    chat.clear()
    field.current?.focus()
  }
  const add = (files: Iterable<File>) => {
    setImageProblem(undefined)
    readImages([...files]).then(chat.attach, (error: Error) => setImageProblem(error.message))
  }
  const pasted = (event: ClipboardEvent) => {
    const files = event.clipboardData?.files
    if (files === undefined || files.length === 0) return
    event.preventDefault()
    add(files)
  }
  const dropped = (event: DragEvent) => {
    event.preventDefault()
    setDropping(false)
    add(event.dataTransfer?.files ?? [])
  }
  const dragged = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    setDropping(true)
  }
  return (
    <form
      class={isDropping ? 'composer dropping' : 'composer'}
      onSubmit={submit}
      onDragOver={dragged}
      onDragLeave={() => setDropping(false)}
      onDrop={dropped}
    >
      {images.length > 0 && (
        <ul class="attachments" aria-label="Images of the message">
          {images.map((image, at) => (
            <li key={at}>
              <img src={`data:${image.type};base64,${image.data}`} alt="" />
              <span class="name small">{image.name}</span>
              <span class="muted small">{fileSize(image.bytes)}</span>
              <button
                class="button quiet"
                type="button"
                aria-label={`Remove ${image.name}`}
                onClick={() => chat.detach(image)}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      {imageProblem !== undefined && (
        <p class="composer-problem bad-text small" role="alert">
          {imageProblem}
        </p>
      )}
      <label class="hidden" for="draft">
        Message
      </label>
      <textarea
        id="draft"
        ref={field}
        rows={2}
        placeholder="Write a message"
        value={draft}
        onInput={event => chat.write(event.currentTarget.value)}
        onKeyDown={typed}
        onPaste={pasted}
      />
      {problem !== undefined && (
        <p class="composer-problem warn-text small" role="status">
          {problem}
        </p>
      )}
      <div class="composer-buttons">
        <input
          ref={picker}
          class="hidden"
          type="file"
          multiple
          tabIndex={-1}
          aria-label="Image files"
          accept={imageTypes.join()}
          onChange={event => {
            add(event.currentTarget.files ?? [])
            event.currentTarget.value = ''
          }}
        />
        <button class="button quiet" type="button" onClick={() => picker.current?.click()}>
          Add images
        </button>
        <span class="muted small hint">Enter sends, Shift + Enter adds a line</span>
        {begun && (
          <button class="button quiet" type="button" onClick={clear}>
            New chat
          </button>
        )}
        {running ? (
          <button class="button stop" type="button" onClick={chat.stop} key="stop">
            Stop
          </button>
        ) : (
          <button class="button primary" type="submit" disabled={isEmpty || problem !== undefined} key="send">
            Send
          </button>
        )}
      </div>
    </form>
  )
}
