//! Typed access to a JSON document that remembers where it is, so that an error names the field.

use flexline::{Quat, Vec3};
use serde_json::Value;

/// Why a field could not be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FieldError {
    /// The field is not there.
    #[error("{path} is missing")]
    Missing {
        /// Where it was looked for.
        path: String,
    },
    /// The field is there but is something else.
    #[error("{path} is {found}: expected {expected}")]
    Wrong {
        /// Where it stands.
        path: String,
        /// What stands there.
        found: String,
        /// What should.
        expected: &'static str,
    },
}

/// A place in a JSON document.
#[derive(Clone, Debug)]
pub(crate) struct Field<'a> {
    value: &'a Value,
    path: String,
}

impl<'a> Field<'a> {
    /// The document itself.
    pub(crate) fn root(value: &'a Value) -> Self {
        Self { value, path: String::new() }
    }

    /// Where this is, for messages.
    pub(crate) fn path(&self) -> &str {
        if self.path.is_empty() { "the document" } else { &self.path }
    }

    /// An error: something else is expected here.
    pub(crate) fn wrong(&self, expected: &'static str) -> FieldError {
        let mut found = self.value.to_string();
        if found.chars().count() > 40 {
            found = found.chars().take(37).collect::<String>() + "...";
        }
        FieldError::Wrong { path: self.path().to_owned(), found, expected }
    }

    /// A member, if it is there and not null.
    pub(crate) fn find(&self, key: &str) -> Option<Field<'a>> {
        let value = self.value.get(key).filter(|v| !v.is_null())?;
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Some(Field { value, path })
    }

    /// A member that has to be there.
    pub(crate) fn get(&self, key: &str) -> Result<Field<'a>, FieldError> {
        self.find(key).ok_or_else(|| FieldError::Missing {
            path: if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) },
        })
    }

    /// The elements of a list.
    pub(crate) fn items(&self) -> Result<Vec<Field<'a>>, FieldError> {
        let list = self.value.as_array().ok_or_else(|| self.wrong("a list"))?;
        let at = |(i, value)| Field { value, path: format!("{}[{i}]", self.path) };
        Ok(list.iter().enumerate().map(at).collect())
    }

    /// The names of the members.
    pub(crate) fn keys(&self) -> Vec<&'a str> {
        self.value.as_object().map(|o| o.keys().map(String::as_str).collect()).unwrap_or_default()
    }

    /// Whether this is a list of objects or one object: something that can hold cases.
    pub(crate) fn holds_cases(&self) -> bool {
        match self.value {
            Value::Array(list) => list.iter().all(Value::is_object),
            other => other.is_object(),
        }
    }

    /// This as an object.
    pub(crate) fn object(self) -> Result<Self, FieldError> {
        if self.value.is_object() { Ok(self) } else { Err(self.wrong("an object")) }
    }

    /// This as a number; decimal strings count.
    pub(crate) fn as_number(&self) -> Result<f64, FieldError> {
        let number = match self.value {
            Value::Number(v) => v.as_f64(),
            Value::String(s) => s.trim().parse().ok(),
            _ => None,
        };
        number.filter(|v: &f64| v.is_finite()).ok_or_else(|| self.wrong("a finite number"))
    }

    /// This as text.
    pub(crate) fn as_text(&self) -> Result<&'a str, FieldError> {
        self.value.as_str().ok_or_else(|| self.wrong("text"))
    }

    /// This as true or false.
    pub(crate) fn as_bool(&self) -> Result<bool, FieldError> {
        self.value.as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    /// This as a list of numbers.
    pub(crate) fn as_numbers(&self) -> Result<Vec<f64>, FieldError> {
        self.items()?.iter().map(Field::as_number).collect()
    }

    /// This as a vector.
    pub(crate) fn as_vec3(&self) -> Result<Vec3, FieldError> {
        match self.as_numbers()?[..] {
            [x, y, z] => Ok(Vec3::new(x, y, z)),
            _ => Err(self.wrong("three numbers")),
        }
    }

    /// This as a rotation: w, x, y, z, normalised.
    pub(crate) fn as_quat(&self) -> Result<Quat, FieldError> {
        match self.as_numbers()?[..] {
            [w, x, y, z] => {
                let q = Quat::new(w, x, y, z);
                let size = q.norm();
                if (0.5..2.0).contains(&size) {
                    Ok(q * (1.0 / size))
                } else {
                    Err(self.wrong("a unit quaternion w, x, y, z"))
                }
            }
            _ => Err(self.wrong("a unit quaternion w, x, y, z")),
        }
    }

    /// A number member.
    pub(crate) fn number(&self, key: &str) -> Result<f64, FieldError> {
        self.get(key)?.as_number()
    }

    /// A positive number member.
    pub(crate) fn positive(&self, key: &str) -> Result<f64, FieldError> {
        let field = self.get(key)?;
        let value = field.as_number()?;
        if value > 0.0 { Ok(value) } else { Err(field.wrong("a positive number")) }
    }

    /// A number member that may be absent.
    pub(crate) fn maybe_number(&self, key: &str) -> Result<Option<f64>, FieldError> {
        self.find(key).map(|f| f.as_number()).transpose()
    }

    /// A vector member.
    pub(crate) fn vec3(&self, key: &str) -> Result<Vec3, FieldError> {
        self.get(key)?.as_vec3()
    }

    /// A vector member that may be absent.
    pub(crate) fn maybe_vec3(&self, key: &str) -> Result<Option<Vec3>, FieldError> {
        self.find(key).map(|f| f.as_vec3()).transpose()
    }

    /// A member that is a list of numbers and may be absent.
    pub(crate) fn maybe_numbers(&self, key: &str) -> Result<Option<Vec<f64>>, FieldError> {
        self.find(key).map(|f| f.as_numbers()).transpose()
    }

    /// An error: this list should have as many elements as another.
    pub(crate) fn uneven(&self) -> FieldError {
        self.wrong("as many elements as there are arc lengths")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_place() {
        let value: Value =
            serde_json::from_str(r#"{"a": {"b": [1, "2.5", [1, 2]], "q": [0, 0, 0, 0]}}"#).unwrap();
        let a = Field::root(&value).get("a").unwrap();
        let b = a.get("b").unwrap().items().unwrap();
        assert_eq!(b[1].as_number(), Ok(2.5));
        assert_eq!(b[2].as_vec3().unwrap_err().to_string(), "a.b[2] is [1,2]: expected three numbers");
        assert_eq!(a.number("c").unwrap_err(), FieldError::Missing { path: "a.c".into() });
        assert!(a.get("q").unwrap().as_quat().is_err());
    }
}
