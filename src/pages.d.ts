/** Pages that `npm run build` makes from `src/ui/web/`, one file each. The placeholder `data` is replaced by the page's JSON. */
declare module '#pages/*' {
  export const page: string;
  export const data: string;
}
