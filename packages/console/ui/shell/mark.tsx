/** The mark: water between two posts. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
      <rect class="mark-ground" width="32" height="32" rx="8" />
      <path
        class="mark-line"
        d="M8 8v16M24 8v16M12 20c1.3-2 2.7-2 4 0s2.7 2 4 0M12 14c1.3-2 2.7-2 4 0s2.7 2 4 0"
      />
    </svg>
  )
}
