"""Declare, write and read parameters: fields of dataclasses, names such as ``gtm(exponent=2)``, and signatures."""

from metaeval.parameters.fields import parameter as parameter
