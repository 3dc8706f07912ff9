import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { getFieldProps, type PageForm } from './use-page-form.ts';

/** Shows the field for a code. @param act the button of its form */
export function CodeField({ form, act, initial }: { form: PageForm; act: 'code' | 'open'; initial?: string }) {
  return (
    <TextField
      label="Code"
      hint="10 letters and digits. Capital letters and spaces do not matter."
      className="max-w-64 uppercase nums"
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
      maxLength={40}
      {...getFieldProps(form.result, [act], 'code', initial)}
    />
  );
}

export function UseCodeButton({ form }: { form: PageForm }) {
  return (
    <Button
      type="submit"
      name="act"
      value="code"
      className="justify-self-start"
      busy={form.sending === 'code' && 'Checking...'}
    >
      Use this code
    </Button>
  );
}
