/** The built page: its files by their paths below `/console/`, of which `index.html` is the page itself. */
export type Page = Readonly<Record<string, PageFile>>

/** Files under `assets/` have a digest in their names: browsers may keep them for ever. */
export interface PageFile {
  /** Its `content-type`: `text/html; charset=utf-8`. */
  readonly type: string
  readonly body: string | Uint8Array<ArrayBuffer>
}
