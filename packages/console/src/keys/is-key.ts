/** Whether a caller may be a stored key: one of another source is none, whatever its id is. */
export function isKey({ source }: { readonly source?: string | null | undefined }): boolean {
  return source == null || source === 'api_keys'
}
